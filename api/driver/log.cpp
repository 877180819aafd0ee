// SPDX-License-Identifier: Apache-2.0
// The log of errors.
//
// Reference: CUDA Driver API, "Error Log Management Functions".
#include <cstdio>

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/refusal_log.hpp"
#include "sim/base/refusal.hpp"

using namespace cuvette;
using namespace cuvette::driver;

extern "C" {

CUresult cuLogsRegisterCallback(CUlogsCallback callbackFunc, void* userData,
                                CUlogsCallbackHandle* callback_out) {
  return call<CUresult>([&]() -> Result<> {
    if (!callbackFunc || !callback_out) return Error::invalid_value;
    keep_sentences();
    const void* const handle = add_log_callback([=](char* text, size_t length) {
      callbackFunc(userData, CU_LOG_LEVEL_ERROR, text, length);
    });
    *callback_out = static_cast<CUlogsCallbackHandle>(const_cast<void*>(handle));
    return {};
  });
}

CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle callback) {
  return call<CUresult>([&]() -> Result<> {
    if (!remove_log_callback(callback))
      return refuse(Error::invalid_value, "%p was not returned by cuLogsRegisterCallback.",
                    static_cast<void*>(callback));
    return {};
  });
}

CUresult cuLogsCurrent(CUlogIterator* iterator_out, unsigned int) {
  return call<CUresult>([&]() -> Result<> {
    if (!iterator_out) return Error::invalid_value;
    keep_sentences();
    *iterator_out = end_of_log();
    return {};
  });
}

CUresult cuLogsDumpToFile(CUlogIterator* iterator, const char* pathToFile, unsigned int) {
  return call<CUresult>([&]() -> Result<> {
    if (!pathToFile) return Error::invalid_value;
    FILE* const file = fopen(pathToFile, "a");
    if (!file) return refuse(Error::invalid_value, "Cannot write %s.", pathToFile);
    unsigned first = 0;
    const std::vector<std::string> lines = read_log(iterator ? *iterator : 0, &first);
    for (const std::string& line : lines) fputs(line.c_str(), file);
    const bool written = !ferror(file);
    if (fclose(file) != 0 || !written)
      return refuse(Error::invalid_value, "Cannot write %s.", pathToFile);
    if (iterator) *iterator = first + static_cast<unsigned>(lines.size());
    return {};
  });
}

// As many whole lines are written as there is room for; the iterator says where the next call goes
// on. Measured: if not one of them has room, that is an error.
CUresult cuLogsDumpToMemory(CUlogIterator* iterator, char* buffer, size_t* size, unsigned int) {
  return call<CUresult>([&]() -> Result<> {
    if (!buffer || !size) return Error::invalid_value;
    const size_t room = *size;
    *size = 0;
    unsigned first = 0;
    const std::vector<std::string> lines = read_log(iterator ? *iterator : 0, &first);
    unsigned count = 0;
    for (const std::string& line : lines) {
      if (line.size() > room - *size) break;
      line.copy(buffer + *size, line.size());
      *size += line.size();
      ++count;
    }
    if (count == 0 && !lines.empty())
      return refuse(Error::invalid_value, "The next line has more than %zu bytes.", room);
    if (*size < room) buffer[*size] = '\0';
    if (iterator) *iterator = first + count;
    return {};
  });
}

}  // extern "C"
