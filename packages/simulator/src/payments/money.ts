/** Amounts of the card provider count the currency's smallest unit. */
export const moneyWords = (amount: number, currency: string): string => {
  const format = formatOf(currency);
  const digits = format?.resolvedOptions().maximumFractionDigits ?? 2;
  return wordsOf(amount / 10 ** digits, currency, format);
};

/** Amounts of the crypto provider are in the currency's own unit. */
export const decimalWords = (amount: number, currency: string): string =>
  wordsOf(amount, currency, formatOf(currency));

const wordsOf = (amount: number, currency: string, format: Intl.NumberFormat | undefined): string =>
  format?.format(amount) ?? `${amount} ${currency}`;

/** A coin's name is no currency of the kind it knows. */
const formatOf = (currency: string): Intl.NumberFormat | undefined =>
  /^[a-zA-Z]{3}$/.test(currency)
    ? new Intl.NumberFormat('en', { style: 'currency', currency })
    : undefined;
