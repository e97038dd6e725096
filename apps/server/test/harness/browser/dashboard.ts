import type { Page } from 'playwright-core';
import type { LocalService } from '../local-service.ts';
import type { Window } from './chromium.ts';

/** The first person whom the simulator offers to sign in as; local mode's demo account is theirs. */
export const demoOwner = '118264931620716544';

/** Signs in to the dashboard as that person. */
export const signIn = async (
  page: Page,
  { url }: Pick<LocalService, 'url'>,
  { person, next = '/dashboard' }: { person?: string; next?: string } = {},
): Promise<void> => {
  await page.goto(`${url}/login?next=${encodeURIComponent(next)}`);
  if (person) await page.getByLabel("Another user's id").fill(person);
  await page.getByRole('button', { name: 'Authorize' }).click();
};

/** Collects the origins, other than the given ones, that a window requests. */
export const foreignOriginsOf = ({ page }: Pick<Window, 'page'>, own: string[]): string[] => {
  const strangers: string[] = [];
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'data:' && protocol !== 'blob:' && !own.includes(origin))
      strangers.push(origin);
  });
  return strangers;
};

/** State that the steps of a story share. */
export type Story = { serverId: string; guildId: string; serverName: string; member?: string };

export const waitForText = (page: Page, text: string | RegExp): Promise<void> =>
  page.getByText(text).first().waitFor({ timeout: 30_000 });

/** One of the choices of a field. */
export const choose = async (page: Page, label: string, option: string | RegExp): Promise<void> => {
  await page.getByRole('combobox', { name: label }).or(page.getByLabel(label)).first().click();
  await page.getByRole('option', { name: option }).first().click();
};

/** Types the confirmation of a dangerous action and confirms it. */
export const confirmDanger = async (page: Page, word: string, label: string): Promise<void> => {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(`Type ${word} to go on`).fill(word);
  await dialog.getByRole('button', { name: label, exact: true }).click();
};
