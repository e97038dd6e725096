import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../../api.ts';
import { CodeInput } from '../../parts/code-input.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { fieldError } from '../../parts/error-words.ts';
import { useAct } from '../../parts/use-act.ts';

export const EndSecondFactor = () => {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button variant="default" onClick={open}>
        Switch it off
      </Button>
      <Modal opened={isOpen} onClose={close} title="Switch the second factor off" centered>
        <Form onClose={close} />
      </Modal>
    </>
  );
};

const Form = ({ onClose }: { onClose: () => void }) => {
  const [code, setCode] = useState('');
  const end = useAct(() => api.endSecondFactor({ body: { code } }), {
    done: 'The second factor is off.',
    touches: [['account']],
    isQuietOnError: true,
    onDone: onClose,
  });
  const codeError = fieldError(end.error, 'code');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        end.mutate();
      }}
    >
      <Stack gap="md">
        <Text size="sm">
          From then on your account on the platform is enough to get in here and to do everything.
          Your recovery codes are worth nothing any more.
        </Text>
        <CodeInput code={code} onChange={setCode} error={codeError} />
        {end.error && !codeError && <ErrorNote error={end.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Leave it on
          </Button>
          <Button
            type="submit"
            color="red"
            loading={end.isPending}
            disabled={code.trim().length < 6}
          >
            Switch it off
          </Button>
        </Group>
      </Stack>
    </form>
  );
};
