import type { BackupComponent } from '@holdfast/contract';
import { HoldfastError, type Input } from '@holdfast/sdk';
import { Anchor, Button, Group, Modal, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { api } from '../../api.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { fieldError } from '../../parts/error-words.ts';
import { useAct } from '../../parts/use-act.ts';
import { useServer } from '../../parts/use-server.ts';
import { allComponents } from './backup-words.ts';
import { ComponentChoice } from './component-choice.tsx';

type CreateBackupProps = { opened: boolean; onClose: () => void };

export const CreateBackup = ({ opened, onClose }: CreateBackupProps) => (
  <Modal opened={opened} onClose={onClose} title="Back this server up" size="lg" centered>
    {opened && <Form onClose={onClose} />}
  </Modal>
);

const Form = ({ onClose }: Pick<CreateBackupProps, 'onClose'>) => {
  const { id } = useServer();
  const draft = useDraft();
  const create = useAct(
    (body: Input<'createBackup'>['body']) => api.createBackup({ params: { id }, body }),
    {
      done: 'The backup has begun.',
      touches: [['backups', id], ['backup-usage'], ['server', id]],
      onDone: onClose,
      isQuietOnError: true,
    },
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        create.mutate(draft.wish);
      }}
    >
      <Stack gap="lg">
        <Fields draft={draft} error={create.error} />
        {create.error && <Refused error={create.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={draft.components.length === 0}>
            Back up now
          </Button>
        </Group>
      </Stack>
    </form>
  );
};

const usualMessages = 100;

/** What is being filled in, and what would be asked for as it stands. */
const useDraft = () => {
  const [name, setName] = useState('');
  const [components, setComponents] = useState<BackupComponent[]>(
    allComponents.filter((component) => component !== 'messages'),
  );
  const [messages, setMessages] = useState<number | string>(usualMessages);
  const keepsMessages = components.includes('messages');
  const wish = {
    ...(name.trim() && { name: name.trim() }),
    ...(keepsMessages && messages !== '' && { messagesPerChannel: Number(messages) }),
    components,
  };
  return { name, setName, components, setComponents, messages, setMessages, keepsMessages, wish };
};

type FieldsProps = { draft: ReturnType<typeof useDraft>; error: unknown };

const Fields = ({ draft, error }: FieldsProps) => (
  <>
    <TextInput
      label="Name"
      description="Optional. What will tell you later why you made it."
      placeholder="Before the summer event"
      maxLength={100}
      value={draft.name}
      onChange={(event) => draft.setName(event.currentTarget.value)}
      error={fieldError(error, 'name')}
      data-autofocus
    />
    <ComponentChoice
      label="What to keep"
      offered={allComponents}
      chosen={draft.components}
      onChange={draft.setComponents}
      error={fieldError(error, 'components')}
    />
    {draft.keepsMessages && (
      <NumberInput
        label="Messages of each channel"
        description="The newest ones, up to 1,000. More take longer and need more storage."
        min={0}
        max={1000}
        value={draft.messages}
        onChange={draft.setMessages}
        error={fieldError(error, 'messagesPerChannel')}
      />
    )}
  </>
);

const Refused = ({ error }: { error: Error }) => (
  <Stack gap="xs">
    <ErrorNote error={error} />
    {error instanceof HoldfastError && error.kind === 'forbidden' && (
      <Text size="sm">
        Delete a backup that you no longer need, or{' '}
        <Anchor component={Link} to="/billing" inherit underline="always">
          compare the plans
        </Anchor>
        .
      </Text>
    )}
  </Stack>
);
