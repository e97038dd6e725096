import { Button, Group, Stack, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { CodeInput } from '../../parts/code-input.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { dayText } from './expiry-day.ts';
import type { Minted } from './mint-key.tsx';
import { ScopeChooser } from './scope-chooser.tsx';
import { useNewKey } from './use-new-key.ts';

type MintFormProps = { onMinted: (minted: Minted) => void; onClose: () => void };

export const MintForm = ({ onMinted, onClose }: MintFormProps) => {
  const key = useNewKey(onMinted);
  const { freshCode, errorOf } = key;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    key.mint.mutate();
  };
  return (
    <Stack gap="md" component="form" onSubmit={submit}>
      <NameAndEnd newKey={key} />
      <ScopeChooser chosen={key.scopes} onChange={key.setScopes} error={errorOf('scopes')} />
      {freshCode.isNeeded && (
        <CodeInput code={freshCode.code} onChange={freshCode.setCode} error={errorOf('code')} />
      )}
      {key.otherError && <ErrorNote error={key.otherError} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" loading={key.mint.isPending} disabled={!key.isReady}>
          Mint the key
        </Button>
      </Group>
    </Stack>
  );
};

const NameAndEnd = ({ newKey }: { newKey: ReturnType<typeof useNewKey> }) => (
  <>
    <TextInput
      label="Name"
      description="What will use it, such as nightly-backup"
      value={newKey.name}
      onChange={(event) => newKey.setName(event.currentTarget.value)}
      error={newKey.errorOf('name')}
      maxLength={100}
      data-autofocus
    />
    <TextInput
      type="date"
      label="Last day"
      description="Optional. Without it the key holds until you revoke it."
      value={newKey.lastDay}
      min={dayText(new Date())}
      onChange={(event) => newKey.setLastDay(event.currentTarget.value)}
      error={newKey.errorOf('expiresAt')}
    />
  </>
);
