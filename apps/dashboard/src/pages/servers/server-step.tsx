import type { Input, Output } from '@holdfast/sdk';
import { Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { api } from '../../api.ts';
import { FormError } from '../../parts/form-error.tsx';
import { useAct } from '../../parts/use-act.ts';
import { type Bind, useTextFields } from '../../parts/use-text-fields.ts';

type ServerStepProps = {
  botId: string | undefined;
  onAdded: (server: Output<'createServer'>) => void;
};

const noFields = { platformGuildId: '', name: '', verifiedRoleId: '', logChannelId: '' };

/** Which server it is. Role and channel can wait: the settings offer them by name. */
export const ServerStep = ({ botId, onAdded }: ServerStepProps) => {
  const { values, bindWith } = useTextFields(noFields);
  const add = useAct((body: Input<'createServer'>['body']) => api.createServer({ body }), {
    done: ({ name }) => `${name} was added`,
    touches: [['servers'], ['account'], ['overview']],
    onDone: onAdded,
    isQuietOnError: true,
  });
  const submit = () => {
    if (!botId) return;
    const { platformGuildId, name, verifiedRoleId, logChannelId } = values;
    const body = {
      ...{ customBotId: botId, platformGuildId: platformGuildId.trim(), name: name.trim() },
      ...(verifiedRoleId && { verifiedRoleId: verifiedRoleId.trim() }),
      ...(logChannelId && { logChannelId: logChannelId.trim() }),
    };
    add.mutate(body);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="md">
        <ServerFields bind={bindWith(add.error)} />
        <FormError error={add.error} title="The server was not added" />
        <Group justify="flex-end">
          <Button type="submit" loading={add.isPending} disabled={!botId}>
            Add the server
          </Button>
        </Group>
      </Stack>
    </form>
  );
};

const ServerFields = ({ bind }: { bind: Bind<keyof typeof noFields> }) => (
  <>
    <TextInput
      label="Server ID"
      description="In the platform's app: switch developer mode on, right-click the server, Copy server ID."
      required
      inputMode="numeric"
      autoComplete="off"
      {...bind('platformGuildId')}
    />
    <TextInput
      label="Name"
      description="As newcomers see it on the verify page."
      required
      maxLength={100}
      {...bind('name')}
    />
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <TextInput
        label="Role for verified members (ID, optional)"
        description="Can be chosen by name in the settings afterwards."
        inputMode="numeric"
        autoComplete="off"
        {...bind('verifiedRoleId')}
      />
      <TextInput
        label="Channel for reports (ID, optional)"
        description="Each verification is reported there."
        inputMode="numeric"
        autoComplete="off"
        {...bind('logChannelId')}
      />
    </SimpleGrid>
  </>
);
