/** What turns the direction of writing by hand, and of all that follows where it is not turned back. */
const turningCharacters = /[\u202a-\u202e\u2066-\u2069]/g;

/** A name that somebody else chose, kept from having its way with the words around it. */
export const Name = ({ children }: { children: string }) => (
  <bdi>{children.replace(turningCharacters, '')}</bdi>
);
