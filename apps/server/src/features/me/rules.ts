/** The person types it to confirm the erasure. */
export const confirmationWord = 'ERASE';

export const isConfirmed = (typed: string | undefined): boolean =>
  typed?.trim().toUpperCase() === confirmationWord;

/** In UTC, since the person's time zone is not known. */
export const readableMoment = (at: Date): string =>
  `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
