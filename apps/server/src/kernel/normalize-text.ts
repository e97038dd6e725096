type Form = 'NFC' | 'NFKC' | 'NFKD';

/**
 * Thirty is Unicode's own bound (annex 15, stream-safe text); no writing system comes near it. The halfwidth
 * voicing marks of Japanese are marks only once they are decomposed.
 */
const tooManyMarks = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;

/**
 * `String.normalize` sorts the marks that follow a letter, in a time that grows with their square: 30,000 of
 * them hold the loop for six seconds. So no letter keeps more than thirty.
 */
export const normalizeText = (text: string, form: Form): string =>
  text.replace(tooManyMarks, '$1').normalize(form);
