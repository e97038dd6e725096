/** What turns the direction of writing by hand, and of all that follows where it is not turned back. */
const turningCharacters = /[\u202a-\u202e\u2066-\u2069]/g;

/** A name that somebody else chose, kept from having its way with the words around it. */
export const Name = ({ children }: { children: string }) => <bdi>{plainName(children)}</bdi>;

/** The same for where only text can stand, such as a field. */
export const plainName = (name: string): string => name.replace(turningCharacters, '');

/** Whether a name was typed as far as it can be seen: marks and joiners nobody can type do not count. */
export const isSameName = (typed: string, name: string): boolean =>
  visibleText(typed) === visibleText(name);

const visibleText = (text: string): string =>
  text
    .normalize()
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
