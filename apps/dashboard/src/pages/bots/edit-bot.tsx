import { Switch } from '@mantine/core';
import { api } from '../../api.ts';
import { ApiForm, useApiForm } from '../../components/form.tsx';
import { type BotValues, changedBotFields } from '../../labels/bots.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { Bot } from '../../queries/records.ts';
import { CredentialFields, PresenceFields } from './bot-fields.tsx';

/** A new secret is checked with the platform first, unless the whole application is replaced. */
const save = async (bot: Bot, values: BotValues) => {
  const params = { id: bot.id };
  const body = changedBotFields(bot, values);
  const { clientSecret, clientId } = body;
  if (clientSecret && !clientId) await api.checkBotSecret({ params, body: { clientSecret } });
  return api.updateBot({ params, body });
};

const hiddenValues = { publicKey: '', botToken: '', clientSecret: '', redirectUri: '' };

export const EditBotForm = ({ bot, onDone }: { bot: Bot; onDone: () => void }) => {
  const { name, clientId, activityText, status, activityType, isActive } = bot;
  const form = useApiForm<BotValues>(
    { name, clientId, activityText, status, activityType, isActive, ...hiddenValues },
    (values) => save(bot, values),
    {
      message: 'The bot was changed',
      invalidates: [queryKeys.bots, queryKeys.overview],
      onSuccess: onDone,
    },
  );
  const isChanged = Object.keys(changedBotFields(bot, form.values)).length > 0;
  return (
    <ApiForm
      form={form}
      label="Save"
      isReady={isChanged}
      onCancel={onDone}
      errorTitle="The bot was not changed"
    >
      <Switch
        label="Switched on"
        description="While a bot is off, nobody can verify through it and it makes no backups."
        {...form.getInputProps('isActive', { type: 'checkbox' })}
      />
      <CredentialFields bind={form.getInputProps} />
      <PresenceFields bind={form.getInputProps} />
    </ApiForm>
  );
};
