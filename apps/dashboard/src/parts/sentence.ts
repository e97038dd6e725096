/** What the service said, ended with a full stop, so that more can be said after it. */
export const sentence = (words: string): string => `${words}.`.replace(/([.!?])\.$/, '$1');
