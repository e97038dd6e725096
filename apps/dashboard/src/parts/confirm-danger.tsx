import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { CodeInput } from './code-input.tsx';
import { ErrorNote } from './error-note.tsx';
import { isSameName, Name } from './name.tsx';
import { useFreshCode } from './use-fresh-code.ts';

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
  const [typed, setTyped] = useState('');
  const freshCode = useFreshCode();
  const confirm = useMutation({
    mutationFn: async () => {
      await freshCode.show();
      await onConfirm();
    },
    onSuccess: onClose,
  });
  const isReady = (word === undefined || isSameName(typed, word)) && freshCode.isReady;
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
        {word !== undefined && <WordField word={word} typed={typed} onType={setTyped} />}
        {freshCode.isNeeded && <CodeInput code={freshCode.code} onChange={freshCode.setCode} />}
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

type WordFieldProps = { word: string; typed: string; onType: (text: string) => void };

const WordField = ({ word, typed, onType }: WordFieldProps) => (
  <TextInput
    label={
      <>
        Type <Name>{word}</Name> to go on
      </>
    }
    value={typed}
    onChange={(event) => onType(event.currentTarget.value)}
    autoComplete="off"
    data-autofocus
  />
);
