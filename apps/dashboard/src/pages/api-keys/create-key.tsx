import type { KeyScope } from '@holdfast/contract';
import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../../api.ts';
import { CopyField } from '../../components/copy-field.tsx';
import { Name } from '../../components/display.tsx';
import { ApiForm, useApiForm } from '../../components/form.tsx';
import { CodeInput, useFreshCode } from '../../components/fresh-code.tsx';
import { Note } from '../../components/page.tsx';
import { curlExample, dayText, endOfDay } from '../../labels/api-keys.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { CreatedKey } from '../../queries/records.ts';
import { ScopeChooser } from './scope-chooser.tsx';

type CreateKeyProps = { opened: boolean; onClose: () => void };

/** First what the key may do, then the key itself: it is shown once, so a stray click must not close it. */
export const CreateKey = ({ opened, onClose }: CreateKeyProps) => {
  const [created, setCreated] = useState<CreatedKey | null>(null);
  const [isLeaving, setIsLeaving] = useState(false);
  const isPhone = useMediaQuery('(max-width: 48em)');
  const close = () => {
    setCreated(null);
    setIsLeaving(false);
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={created ? () => setIsLeaving(true) : close}
      title={created ? 'Your new key' : 'Create key'}
      size="lg"
      fullScreen={isPhone}
      closeOnClickOutside={!created}
    >
      {created ? (
        <ShownKey
          created={created}
          isLeaving={isLeaving}
          onLeave={() => setIsLeaving(true)}
          onStay={() => setIsLeaving(false)}
          onClose={close}
        />
      ) : (
        <KeyForm onCreated={setCreated} onClose={close} />
      )}
    </Modal>
  );
};

const emptyKey = { name: '', lastDay: '', scopes: [] as KeyScope[], code: '' };

type KeyFormProps = { onCreated: (created: CreatedKey) => void; onClose: () => void };

const KeyForm = ({ onCreated, onClose }: KeyFormProps) => {
  const freshCode = useFreshCode();
  const form = useApiForm(
    emptyKey,
    async ({ name, lastDay, scopes, code }) => {
      await freshCode.confirm(code);
      return api.createKey({ body: { name, scopes, expiresAt: endOfDay(lastDay) } });
    },
    {
      fieldNames: { expiresAt: 'lastDay' },
      invalidates: [queryKeys.apiKeys],
      onSuccess: onCreated,
    },
  );
  const { name, scopes, code } = form.values;
  return (
    <ApiForm
      form={form}
      label="Create this key"
      isReady={name.trim() !== '' && scopes.length > 0 && freshCode.isReady(code)}
      onCancel={onClose}
    >
      <TextInput
        label="Name"
        description="What will use it, such as nightly-backup"
        maxLength={100}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput
        type="date"
        label="Last day"
        description="Optional. Without it the key is valid until you revoke it."
        min={dayText(new Date())}
        {...form.getInputProps('lastDay')}
      />
      <ScopeChooser {...form.getInputProps('scopes')} />
      {freshCode.isNeeded && <CodeInput {...form.getInputProps('code')} />}
    </ApiForm>
  );
};

type ShownKeyProps = {
  created: CreatedKey;
  /** The owner wants to close the dialog: it asks first whether the key was copied. */
  isLeaving: boolean;
  onLeave: () => void;
  onStay: () => void;
  onClose: () => void;
};

const ShownKey = ({ created, isLeaving, onLeave, onStay, onClose }: ShownKeyProps) => (
  <Stack gap="md">
    <Text size="sm">
      This is the key <Name>{created.name}</Name>. Store it where the program that uses it keeps its
      secrets.
    </Text>
    <CopyField label="Key" value={created.key} />
    <Note tone="warning" title="You will not see it again">
      Holdfast stores only its hash. Anybody who has the key can do what its scopes allow; if it
      gets lost or leaks, revoke it and create another.
    </Note>
    <CopyField label="Try it" value={curlExample(location.origin, created.key, created.scopes)} />
    {isLeaving ? (
      <Alert color="red" title="Have you copied the key?" role="alert">
        <Group mt="xs" justify="flex-end">
          <Button variant="default" onClick={onStay} data-autofocus>
            Not yet
          </Button>
          <Button color="red" onClick={onClose}>
            Yes, close
          </Button>
        </Group>
      </Alert>
    ) : (
      <Group justify="flex-end">
        <Button onClick={onLeave}>Done</Button>
      </Group>
    )}
  </Stack>
);
