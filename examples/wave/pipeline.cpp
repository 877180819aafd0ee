// SPDX-License-Identifier: Apache-2.0
#include "examples/wave/pipeline.hpp"

// Made by glslangValidator: arrays of SPIR-V.
#include "screen_vert.h"
#include "water_frag.h"

namespace wave {
namespace {

constexpr VkDescriptorType kind = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;

template <size_t words>
Shader create_shader(VkDevice device, const uint32_t (&code)[words]) {
  return Shader(device,
                VkShaderModuleCreateInfo{.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                         .codeSize = sizeof code,
                                         .pCode = code});
}

}  // namespace

WaterPipeline::WaterPipeline(VkDevice device, VkImageView heights, VkFormat format,
                             VkExtent2D extent) {
  describe_heights(device, heights);
  create(device, format, extent);
}

void WaterPipeline::draw(VkCommandBuffer commands) const {
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_);
  vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_, 0, 1, &set_, 0,
                          nullptr);
  vkCmdDraw(commands, 3, 1, 0, 0);
}

// The set of what the shaders read: one image.
void WaterPipeline::describe_heights(VkDevice device, VkImageView heights) {
  const VkDescriptorSetLayoutBinding binding{.binding = 0,
                                             .descriptorType = kind,
                                             .descriptorCount = 1,
                                             .stageFlags = VK_SHADER_STAGE_FRAGMENT_BIT};
  set_layout_ = SetLayout(device, VkDescriptorSetLayoutCreateInfo{
                                      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                      .bindingCount = 1,
                                      .pBindings = &binding});
  const VkDescriptorPoolSize size{kind, 1};
  pool_ = DescriptorPool(
      device, VkDescriptorPoolCreateInfo{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                         .maxSets = 1,
                                         .poolSizeCount = 1,
                                         .pPoolSizes = &size});
  const VkDescriptorSetAllocateInfo allocate{
      .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
      .descriptorPool = pool_,
      .descriptorSetCount = 1,
      .pSetLayouts = set_layout_.address()};
  NEED_VULKAN(vkAllocateDescriptorSets(device, &allocate, &set_));
  const VkDescriptorImageInfo image{VK_NULL_HANDLE, heights,
                                    VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
  const VkWriteDescriptorSet write{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                   .dstSet = set_,
                                   .dstBinding = 0,
                                   .descriptorCount = 1,
                                   .descriptorType = kind,
                                   .pImageInfo = &image};
  vkUpdateDescriptorSets(device, 1, &write, 0, nullptr);
}

// Most of what follows says that nothing special is wanted.
void WaterPipeline::create(VkDevice device, VkFormat format, VkExtent2D extent) {
  layout_ = PipelineLayout(
      device, VkPipelineLayoutCreateInfo{.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1,
                                         .pSetLayouts = set_layout_.address()});
  const Shader screen = create_shader(device, screen_vert),
               water = create_shader(device, water_frag);
  const VkPipelineShaderStageCreateInfo stages[] = {
      {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
       .stage = VK_SHADER_STAGE_VERTEX_BIT,
       .module = screen,
       .pName = "main"},
      {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
       .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
       .module = water,
       .pName = "main"}};
  const VkPipelineVertexInputStateCreateInfo no_vertices{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  const VkPipelineInputAssemblyStateCreateInfo triangles{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
      .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
  const VkViewport viewport{
      0, 0, static_cast<float>(extent.width), static_cast<float>(extent.height), 0, 1};
  const VkRect2D whole{{0, 0}, extent};
  const VkPipelineViewportStateCreateInfo viewports{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
      .viewportCount = 1,
      .pViewports = &viewport,
      .scissorCount = 1,
      .pScissors = &whole};
  const VkPipelineRasterizationStateCreateInfo filled{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
  const VkPipelineMultisampleStateCreateInfo one_sample{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
      .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
  const VkPipelineColorBlendAttachmentState overwrite{
      .colorWriteMask = VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT |
                        VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT};
  const VkPipelineColorBlendStateCreateInfo blending{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
      .attachmentCount = 1,
      .pAttachments = &overwrite};
  const VkPipelineRenderingCreateInfo rendering{
      .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
      .colorAttachmentCount = 1,
      .pColorAttachmentFormats = &format};
  pipeline_ = Pipeline(
      device, VkGraphicsPipelineCreateInfo{.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                           .pNext = &rendering,
                                           .stageCount = std::size(stages),
                                           .pStages = stages,
                                           .pVertexInputState = &no_vertices,
                                           .pInputAssemblyState = &triangles,
                                           .pViewportState = &viewports,
                                           .pRasterizationState = &filled,
                                           .pMultisampleState = &one_sample,
                                           .pColorBlendState = &blending,
                                           .layout = layout_});
}

}  // namespace wave
