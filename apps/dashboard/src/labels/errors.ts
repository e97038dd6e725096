import { HoldfastError, HoldfastNetworkError } from '@holdfast/sdk';
import { endSentence, formatMoney, plural } from './format.ts';

/** Why it did not work and what to do, in a sentence. */
export const errorMessage = (error: unknown): string => {
  if (error instanceof HoldfastNetworkError) {
    return 'Holdfast did not answer. Check your connection, then try again.';
  }
  if (!(error instanceof HoldfastError)) return 'Something went wrong in this page. Load it again.';
  if (error.is('invalidInput')) return invalidInputMessage(error.details);
  if (error.is('stillOpen')) return stillOpenMessage(error.open);
  if (error.kind === 'failure') {
    return 'Holdfast could not do this just now. Try again in a moment; if it stays, tell the operator.';
  }
  return endSentence(error.message);
};

type Open = NonNullable<HoldfastError['open']>;

/** What has to be settled before an account can be deleted. */
const stillOpenMessage = ({ orders, payouts, earnedCents }: Open): string => {
  const matters = [
    orders > 0 && `${plural(orders, 'order')} not completed yet`,
    payouts > 0 && `${plural(payouts, 'payout')} not sent yet`,
    earnedCents > 0 && `${formatMoney(earnedCents)} that you have earned`,
  ].filter((matter) => matter !== false);
  return `Still open: ${matters.join(', ')}. The account can be deleted once this is settled.`;
};

type Details = HoldfastError['details'] & object;

const invalidInputMessage = ({ formErrors, fieldErrors }: Details): string => {
  const byField = Object.entries(fieldErrors).map(
    ([field, complaints]) => `${field}: ${complaints?.join(', ')}`,
  );
  return [...formErrors, ...byField].join('. ') || 'Something in the form is not right.';
};

/** What is wrong with each field of a form, if invalid fields are why it was refused. */
export const fieldErrorsOf = (error: unknown): Record<string, string> => {
  if (!(error instanceof HoldfastError) || !error.is('invalidInput')) return {};
  return Object.fromEntries(
    Object.entries(error.details.fieldErrors).map(([field, complaints]) => [
      field,
      complaints?.join(', ') ?? '',
    ]),
  );
};

/** Whether messages at fields of these names tell all that is wrong. */
export const isAtFields = (error: unknown, fields: string[]): boolean =>
  error instanceof HoldfastError &&
  error.is('invalidInput') &&
  error.details.formErrors.length === 0 &&
  Object.keys(error.details.fieldErrors).every((field) => fields.includes(field));

/** Whether the address names something that does not exist, or not for this account. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof HoldfastError && [400, 404].includes(error.status);
