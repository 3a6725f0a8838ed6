/* Preloaded into a program, does first what many programs do first: takes the user's locale. */
#include <locale.h>

__attribute__((constructor)) static void use_locale(void)
{
    setlocale(LC_ALL, "");
}
