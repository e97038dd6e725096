import type { Input, Output } from '@holdfast/sdk';
import type { CredentialField } from './credential-fields.tsx';

export type Bot = Output<'listBots'>[number];
export type BotChanges = NonNullable<Input<'updateBot'>['body']>;

export type BotWish = Record<CredentialField | 'activityText', string> &
  Pick<Bot, 'status' | 'activityType' | 'isActive'>;

/** The service never tells these: what is left empty stays as it is. */
const untold = ['publicKey', 'redirectUri', 'botToken', 'clientSecret'] as const;
const told = ['name', 'clientId', 'activityText', 'status', 'activityType', 'isActive'] as const;

/** Only what differs from the bot as it is. */
export const botChangesOf = (bot: Bot, wish: BotWish): BotChanges => {
  const changed = told.filter((field) => wish[field] !== bot[field]);
  const given = untold.filter((field) => wish[field] !== '');
  return Object.fromEntries([...changed, ...given].map((field) => [field, wish[field]]));
};
