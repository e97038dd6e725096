/** What a person types to show that they mean it. */
export const confirmationWord = 'ERASE';

export const isConfirmed = (typed: string | undefined): boolean =>
  typed?.trim().toUpperCase() === confirmationWord;

/** A moment as everybody can read it, whatever their place. */
export const readableMoment = (at: Date): string =>
  `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
