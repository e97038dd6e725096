import type { Input, Output } from '@holdfast/sdk';
import { Button, Group, Stack } from '@mantine/core';
import { api } from '../../api.ts';
import { FormError } from '../../parts/form-error.tsx';
import { useAct } from '../../parts/use-act.ts';
import { useTextFields } from '../../parts/use-text-fields.ts';
import { redirectUriOf } from '../servers/verify-link.ts';
import { CredentialFields } from './credential-fields.tsx';
import { RedirectNote } from './redirect-note.tsx';

type AddBotFormProps = {
  onAdded: (bot: Output<'createBot'>) => void;
  onCancel?: () => void;
};

export const AddBotForm = ({ onAdded, onCancel }: AddBotFormProps) => {
  const fields = useTextFields({
    ...{ name: '', clientId: '', publicKey: '', botToken: '', clientSecret: '' },
    redirectUri: redirectUriOf(),
  });
  const add = useAct((body: Input<'createBot'>['body']) => api.createBot({ body }), {
    done: ({ name }) => `${name} was added`,
    touches: [['bots'], ['account']],
    onDone: onAdded,
    isQuietOnError: true,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate(fields.values);
      }}
    >
      <Stack gap="md">
        <RedirectNote />
        <CredentialFields bind={fields.bindWith(add.error)} />
        <FormError error={add.error} title="The bot was not added" />
        <Group justify="flex-end">
          {onCancel && (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={add.isPending}>
            Add this bot
          </Button>
        </Group>
      </Stack>
    </form>
  );
};
