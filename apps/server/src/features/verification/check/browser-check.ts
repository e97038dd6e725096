import { type Challenge, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2';
import { deviceHash } from './device-hash.ts';

/** The check page's script: fills in the device hash and the proof of work, and submits the form. */
const run = async (form: HTMLFormElement): Promise<void> => {
  setField(form, 'fingerprint', await deviceHash().catch(() => ''));
  if (form.dataset.check === 'POW') setField(form, 'solution', await solve(form));
  if (form.dataset.check !== 'WIDGET') form.requestSubmit();
};

const solve = async (form: HTMLFormElement): Promise<string> => {
  const progress = form.querySelector('progress');
  const most = progress?.max ?? 1;
  let tries = 0;
  const challenge: Challenge = JSON.parse(fieldOf(form, 'challenge').value);
  const solution = await solveChallenge({
    challenge,
    deriveKey(...parameters) {
      tries += 1;
      if (progress) progress.value = Math.min(tries, most);
      return deriveKey(...parameters);
    },
  });
  if (!solution) throw new Error('The proof of work took too long');
  if (progress) progress.value = most;
  return JSON.stringify({ counter: solution.counter, derivedKey: solution.derivedKey });
};

const fieldOf = (form: HTMLFormElement, name: string): HTMLInputElement => {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLInputElement) return field;
  throw new Error(`The form has no field ${name}`);
};

const setField = (form: HTMLFormElement, name: string, value: string): void => {
  fieldOf(form, name).value = value;
};

const form = document.querySelector<HTMLFormElement>('form[data-check]');
if (form) {
  run(form).catch(() => {
    const alert = document.querySelector<HTMLElement>('#trouble');
    if (alert) alert.hidden = false;
  });
}
