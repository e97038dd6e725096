import { TOTP } from 'otpauth';
import type { Locator, Page } from 'playwright-core';
import type { LocalService } from '../local-service.ts';

/** Switches the second factor on, on the account page of whoever is signed in. */
export const setUpSecondFactor = async (page: Page, { url }: Pick<LocalService, 'url'>) => {
  await page.goto(`${url}/dashboard/account`);
  await page.getByRole('button', { name: 'Set it up' }).click();
  const dialog = page.getByRole('dialog');
  const shown = await dialog.locator('pre').first().innerText();
  const totp = new TOTP({ secret: shown.replaceAll(/\s/g, '') });
  await page.getByRole('textbox', { name: 'Code' }).fill(totp.generate());
  await page.getByRole('button', { name: 'Switch it on' }).click();
  await page.getByLabel('I have kept them').check();
  const recoveryCodes = await dialog.locator('li pre').allInnerTexts();
  await page.getByRole('button', { name: 'Done' }).click();
  return { totp, recoveryCodes };
};

/** Types a code where a page asks for one, and gives the button that sends it. */
export const enterCode = async (page: Page, code: string): Promise<Locator> => {
  const dialog = page.getByRole('dialog', { name: 'Confirm with your second factor' });
  await dialog.getByLabel('Code of your authenticator').fill(code);
  return dialog.getByRole('button', { name: 'Confirm' });
};
