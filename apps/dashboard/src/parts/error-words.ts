import { HoldfastError, HoldfastNetworkError } from '@holdfast/sdk';
import { marketCurrency } from './market-currency.ts';
import { moneyWords, plural } from './words.ts';

/** Why it did not work, and what to do, in a sentence. */
export const errorWords = (error: unknown): string => {
  if (error instanceof HoldfastNetworkError) {
    return 'Holdfast did not answer. Check your connection, then try again.';
  }
  if (!(error instanceof HoldfastError)) return 'Something went wrong in this page. Load it again.';
  if (error.is('invalidInput')) return fieldWords(error.details);
  if (error.is('stillOpen')) return openWords(error.open);
  if (error.kind === 'failure') {
    return 'Holdfast could not do this just now. Try again in a moment; if it stays, tell the operator.';
  }
  return `${error.message}.`.replace(/\.\.$/, '.');
};

type Open = NonNullable<HoldfastError['open']>;

/** What has to be brought to an end before an account can be deleted. */
const openWords = ({ orders, payouts, earnedCents }: Open): string => {
  const matters = [
    orders > 0 && `${plural(orders, 'order')} not completed yet`,
    payouts > 0 && `${plural(payouts, 'payout')} not sent yet`,
    earnedCents > 0 && `${moneyWords(earnedCents, marketCurrency)} that you have earned`,
  ].filter((matter) => matter !== false);
  return `Still open: ${matters.join(', ')}. The account can be deleted once this is settled.`;
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
