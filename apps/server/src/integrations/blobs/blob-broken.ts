import type { BlobAddress } from './store.ts';

const sentences = {
  missing: 'it is not there',
  truncated: 'its end is missing',
  unknownKey: 'it was sealed under a key that is not in the ring',
  altered: 'it was altered, or belongs elsewhere',
  wrongHash: 'it holds other bytes than its name says',
};

export type BlobFault = keyof typeof sentences;

/** These bytes are not what was written. Reading again will not help, another copy might. */
export class BlobBroken extends Error {
  constructor(
    readonly reason: BlobFault,
    readonly address: BlobAddress,
  ) {
    super(`Blob ${address.hash} cannot be used: ${sentences[reason]}`);
    this.name = 'BlobBroken';
  }
}
