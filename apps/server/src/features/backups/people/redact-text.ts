type IsErased = (platformId: string) => boolean;

/** As the platform writes people into texts. */
const mention = /<@!?(\d{1,20})>/g;
/** Ids of the platform are made of time: none is shorter than this, none longer. */
const bareId = /(?<!\d)\d{15,20}(?!\d)/g;

/** A name with its id, as bots write it into logs; our own line on a verification is one of them. */
const nameWithId = /(?:(?<=^Verified: ).*|[^\s(]+) \((\d{15,20})\)/gm;

/** Every platform id in a text: mentions, and ids that somebody wrote out. */
export const idsInText = (text: string | null): string[] =>
  text === null
    ? []
    : [...text.matchAll(mention)].flatMap(([, id]) => id ?? []).concat(text.match(bareId) ?? []);

/** The text without the ids of the erased, and without names that stand before their ids. */
export function redactText(text: string, isErased: IsErased): string;
export function redactText(text: string | null, isErased: IsErased): string | null;
export function redactText(text: string | null, isErased: IsErased): string | null {
  if (text === null) return null;
  return text
    .replace(nameWithId, (whole, id: string) => (isErased(id) ? 'somebody (000)' : whole))
    .replace(mention, (whole, id: string) => (isErased(id) ? '@someone' : whole))
    .replace(bareId, (id) => (isErased(id) ? '000' : id));
}
