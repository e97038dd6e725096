/** Codes that have a name and yet are no country of today: groups, parts, tests, and what there once was. */
const notCountries = new Set(
  `AC AN BU CP CQ CS DD DG DY EA EU EZ FX HV IC NH QO RH SU TA TP UK UN VD XA XB XK YD YU ZR ZZ`.split(
    ' ',
  ),
);

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

export type Country = { code: string; name: string };

/** Every country by its name: the browser knows them all, so no list of them is sent along. */
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
export const countryWords = (code: string): string => {
  const name = /^[A-Z]{2}$/.test(code) ? names.of(code) : undefined;
  return name === undefined ? code : `${name} (${code})`;
};
