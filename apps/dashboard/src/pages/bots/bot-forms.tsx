import type { Output } from '@holdfast/sdk';
import { Switch } from '@mantine/core';
import { api } from '../../api.ts';
import { ApiForm, useApiForm } from '../../components/form.tsx';
import { type BotValues, changedBotFields } from '../../labels/bots.ts';
import { redirectUri } from '../../labels/verify-link.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { Bot } from '../../queries/records.ts';
import { CredentialFields, PresenceFields, RedirectNote } from './bot-fields.tsx';

type AddBotFormProps = {
  onAdded: (bot: Output<'createBot'>) => void;
  onCancel?: () => void;
};

export const AddBotForm = ({ onAdded, onCancel }: AddBotFormProps) => {
  const form = useApiForm(
    {
      ...{ name: '', clientId: '', publicKey: '', botToken: '', clientSecret: '' },
      redirectUri: redirectUri(),
    },
    (body) => api.createBot({ body }),
    {
      message: ({ name }) => `${name} was added`,
      invalidates: [queryKeys.bots, queryKeys.account],
      onSuccess: onAdded,
    },
  );
  return (
    <ApiForm
      form={form}
      label="Add this bot"
      onCancel={onCancel}
      errorTitle="The bot was not added"
    >
      <RedirectNote />
      <CredentialFields bind={form.getInputProps} />
    </ApiForm>
  );
};

const hiddenValues = { publicKey: '', botToken: '', clientSecret: '', redirectUri: '' };

export const EditBotForm = ({ bot, onDone }: { bot: Bot; onDone: () => void }) => {
  const { id, name, clientId, activityText, status, activityType, isActive } = bot;
  const form = useApiForm<BotValues>(
    { name, clientId, activityText, status, activityType, isActive, ...hiddenValues },
    (values) => api.updateBot({ params: { id }, body: changedBotFields(bot, values) }),
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
      <CredentialFields bind={form.getInputProps} isChange />
      <PresenceFields bind={form.getInputProps} />
    </ApiForm>
  );
};
