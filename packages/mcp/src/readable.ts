import { HoldfastError } from '@holdfast/sdk';

/**
 * Reads several things of which a key may lack the scope for some: the others are still worth telling.
 * `unread` names what could not be read.
 */
export const createReader = () => {
  const unread: string[] = [];
  return {
    unread,
    async tryRead<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
      try {
        return await read();
      } catch (error) {
        if (!(error instanceof HoldfastError) || !error.is('missingScope')) throw error;
        unread.push(error.requiredScope);
        return undefined;
      }
    },
  };
};
