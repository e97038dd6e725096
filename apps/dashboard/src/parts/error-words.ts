import { HoldfastError, HoldfastNetworkError } from '@holdfast/sdk';

/** Why it did not work, and what to do, in a sentence. */
export const errorWords = (error: unknown): string => {
  if (error instanceof HoldfastNetworkError) {
    return 'Holdfast did not answer. Check your connection, then try again.';
  }
  if (!(error instanceof HoldfastError)) return 'Something went wrong in this page. Load it again.';
  if (error.is('invalidInput')) return fieldWords(error.details);
  if (error.kind === 'failure') {
    return 'Holdfast could not do this just now. Try again in a moment; if it stays, tell the operator.';
  }
  return `${error.message}.`.replace(/\.\.$/, '.');
};

const fieldWords = ({ formErrors, fieldErrors }: HoldfastError['details'] & object): string => {
  const byField = Object.entries(fieldErrors).map(
    ([field, complaints]) => `${field}: ${complaints?.join(', ')}`,
  );
  return [...formErrors, ...byField].join('. ') || 'Something in the form is not right.';
};

/** What is wrong with one field of a form, if that is what was refused. */
export const fieldError = (error: unknown, field: string): string | undefined => {
  if (!(error instanceof HoldfastError) || !error.is('invalidInput')) return undefined;
  return error.details.fieldErrors[field]?.join(', ');
};
