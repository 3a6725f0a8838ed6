# Writes OUTPUT, a C file with the hash of FILES: of their code without comments, whatever its format.
# The names of the files and their order do not count.
set(hashes "")
foreach(file IN LISTS FILES)
  file(READ ${file} code)
  string(REGEX REPLACE "/[*][^*]*[*]+([^/*][^*]*[*]+)*/" " " code "${code}")
  string(REGEX REPLACE "[ \t\n]+" "" code "${code}")
  string(SHA256 hash "${code}")
  list(APPEND hashes ${hash})
endforeach()
list(SORT hashes)
string(SHA256 version "${hashes}")
string(SUBSTRING ${version} 0 16 version)
file(WRITE ${OUTPUT} "#include \"lab/verify/digest.h\"\n\nconst uint64_t allfold_verifier_version = 0x${version}u;\n")
