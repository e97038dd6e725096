import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState, useSyncExternalStore } from 'react';
import { api } from '../api.ts';
import { codeQuestion } from '../ask-for-code.ts';
import { CodeInput } from './code-input.tsx';
import { ErrorNote } from './error-note.tsx';
import { fieldError } from './error-words.ts';
import { useAct } from './use-act.ts';

/** Above every other dialog, since any of them may have brought it up. */
const zIndex = 400;

/** Asks for a fresh code wherever the service wants one before it does what was asked of it. */
export const CodeDialog = () => {
  const question = useSyncExternalStore(codeQuestion.subscribe, codeQuestion.read);
  return (
    <Modal
      opened={question !== undefined}
      onClose={() => question?.cancelled()}
      title="Confirm with your second factor"
      zIndex={zIndex}
      centered
    >
      {question && <CodeForm onConfirmed={question.confirmed} onCancel={question.cancelled} />}
    </Modal>
  );
};

type CodeFormProps = { onConfirmed: () => void; onCancel: () => void };

const CodeForm = ({ onConfirmed, onCancel }: CodeFormProps) => {
  const [code, setCode] = useState('');
  const confirm = useAct(() => api.confirmSession({ body: { code } }), {
    isQuietOnError: true,
    onDone: onConfirmed,
  });
  const codeError = fieldError(confirm.error, 'code');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        // It may stand inside another form in React's tree.
        event.stopPropagation();
        confirm.mutate();
      }}
    >
      <Stack gap="md">
        <Text size="sm">
          This act destroys something, moves money, changes credentials or weakens the protection of
          a server.
        </Text>
        <CodeInput code={code} onChange={setCode} error={codeError} />
        {confirm.error && !codeError && <ErrorNote error={confirm.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={confirm.isPending} disabled={code.trim().length < 6}>
            Confirm
          </Button>
        </Group>
      </Stack>
    </form>
  );
};
