import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api } from '../api.ts';
import { ErrorNote } from './error-note.tsx';
import { useAccount } from './use-account.ts';

type ConfirmDangerProps = {
  opened: boolean;
  onClose: () => void;
  title: string;
  /** What will happen, and what cannot be taken back. */
  children: ReactNode;
  /** What has to be typed, such as the server's name; nothing where the code alone is asked for. */
  word?: string;
  /** What the button says, as a verb: "Delete the server". */
  label: string;
  onConfirm: () => Promise<unknown>;
};

/** The dangerous thing, made deliberate: its name is typed, and with a second factor a fresh code. */
export const ConfirmDanger = (props: ConfirmDangerProps) => (
  <Modal opened={props.opened} onClose={props.onClose} title={props.title} centered>
    {props.opened && <Form {...props} />}
  </Modal>
);

const Form = ({ onClose, children, word, label, onConfirm }: ConfirmDangerProps) => {
  const { data: account } = useAccount();
  const needsCode = account?.mfaEnabled === true;
  const [typed, setTyped] = useState('');
  const [code, setCode] = useState('');
  const confirm = useMutation({
    mutationFn: async () => {
      if (needsCode) await api.confirmSession({ body: { code } });
      await onConfirm();
    },
    onSuccess: onClose,
  });
  const isReady = (word === undefined || typed === word) && (!needsCode || code.trim().length >= 6);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) confirm.mutate();
      }}
    >
      <Stack gap="md">
        <Text component="div" size="sm">
          {children}
        </Text>
        {word !== undefined && (
          <TextInput
            label={`Type ${word} to go on`}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        {needsCode && (
          <TextInput
            label="Code of your authenticator, or a recovery code"
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            inputMode="numeric"
            autoComplete="one-time-code"
          />
        )}
        {confirm.error && <ErrorNote error={confirm.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Leave it
          </Button>
          <Button type="submit" color="red" disabled={!isReady} loading={confirm.isPending}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
};
