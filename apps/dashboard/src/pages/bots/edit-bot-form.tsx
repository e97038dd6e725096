import { Button, Group, Stack, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api.ts';
import { fieldError } from '../../parts/error-words.ts';
import { FormError } from '../../parts/form-error.tsx';
import { useAct } from '../../parts/use-act.ts';
import { useTextFields } from '../../parts/use-text-fields.ts';
import { type Bot, type BotChanges, botChangesOf } from './bot-changes.ts';
import { CredentialFields } from './credential-fields.tsx';
import { PresenceFields } from './presence-fields.tsx';

const untold = { publicKey: '', botToken: '', clientSecret: '', redirectUri: '' };

export const EditBotForm = ({ bot, onDone }: { bot: Bot; onDone: () => void }) => {
  const { id, name, clientId, activityText, status, activityType, isActive } = bot;
  const [choices, setChoices] = useState({ status, activityType, isActive });
  const fields = useTextFields({ name, clientId, activityText, ...untold });
  const changes = botChangesOf(bot, { ...choices, ...fields.values });
  const save = useAct((body: BotChanges) => api.updateBot({ params: { id }, body }), {
    ...{ done: 'The bot was changed', touches: [['bots'], ['overview']] },
    ...{ onDone, isQuietOnError: true },
  });
  const bind = fields.bindWith(save.error);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(changes);
      }}
    >
      <Stack gap="md">
        <Switch
          label="Switched on"
          description="While a bot is off nobody can verify through it, and it takes no backups."
          checked={choices.isActive}
          onChange={({ currentTarget }) =>
            setChoices({ ...choices, isActive: currentTarget.checked })
          }
          error={fieldError(save.error, 'isActive')}
        />
        <CredentialFields bind={bind} isChange />
        <PresenceFields
          {...choices}
          onChange={(chosen) => setChoices({ ...choices, ...chosen })}
          activityText={
            <TextInput label="Activity text" maxLength={128} {...bind('activityText')} />
          }
        />
        <FormError error={save.error} title="The bot was not changed" />
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending} disabled={isEmpty(changes)}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
};

const isEmpty = (changes: object) => Object.keys(changes).length === 0;
