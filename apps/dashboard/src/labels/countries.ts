/** Codes that have a name but are no country today: groups, parts, tests and former countries. */
const notCountries = new Set(
  `AC AN BU CP CQ CS DD DG DY EA EU EZ FX HV IC NH QO RH SU TA TP UK UN VD XA XB XK YD YU ZR ZZ`.split(
    ' ',
  ),
);

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

type Country = { code: string; name: string };

/** Every country by its name. The browser has the names, so the bundle needs no list of them. */
export const listCountries = (): Country[] =>
  letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => !notCountries.has(code))
    .flatMap((code) => {
      const name = names.of(code);
      return name === undefined ? [] : [{ code, name }];
    })
    .sort((one, other) => one.name.localeCompare(other.name));

/** "Iceland (IS)"; the code alone where it has no name. */
export const countryLabel = (code: string): string => {
  const name = /^[A-Z]{2}$/.test(code) ? names.of(code) : undefined;
  return name === undefined ? code : `${name} (${code})`;
};

/** In the reader's language; 'Not known' where there is no such code. */
export const countryName = (code: string): string => {
  if (!/^[A-Z]{2}$/.test(code)) return 'Not known';
  return new Intl.DisplayNames(undefined, { type: 'region' }).of(code) ?? code;
};
