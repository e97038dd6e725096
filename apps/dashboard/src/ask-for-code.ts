/** The dialog that asks for a code of the second factor, as its callers see it. */

let question: { confirmed(): void; cancelled(): void; outcome: Promise<boolean> } | undefined;
const listeners = new Set<() => void>();
const tell = (): void => {
  for (const listener of listeners) listener();
};

/** Whether a code was given and accepted. Everything that waits at one time is asked for once. */
export const askForCode = (): Promise<boolean> => {
  if (question) return question.outcome;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const answer = (isConfirmed: boolean) => () => {
    question = undefined;
    tell();
    resolve(isConfirmed);
  };
  question = { confirmed: answer(true), cancelled: answer(false), outcome: promise };
  tell();
  return promise;
};

/** For the dialog: the open question, if there is one. */
export const codeQuestion = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  read: () => question,
};
