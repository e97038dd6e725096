import { Modal, Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { api, codeRequests } from '../api.ts';
import { ApiForm, useApiForm } from '../components/form.tsx';
import { CodeInput, isWholeCode } from '../components/fresh-code.tsx';

/** Above every other dialog, since any of them may have caused it. */
const zIndex = 400;

/** Asks for a fresh code when the service requires one for what was asked of it. */
export const CodeDialog = () => {
  const request = useSyncExternalStore(codeRequests.subscribe, codeRequests.read);
  return (
    <Modal
      opened={request !== undefined}
      onClose={() => request?.cancelled()}
      title="Confirm with your second factor"
      zIndex={zIndex}
      centered
    >
      {request && <CodeForm onConfirmed={request.confirmed} onCancel={request.cancelled} />}
    </Modal>
  );
};

type CodeFormProps = { onConfirmed: () => void; onCancel: () => void };

const CodeForm = ({ onConfirmed, onCancel }: CodeFormProps) => {
  const form = useApiForm({ code: '' }, (body) => api.confirmSession({ body }), {
    onSuccess: onConfirmed,
  });
  return (
    <ApiForm
      form={form}
      label="Confirm"
      isReady={isWholeCode(form.values.code)}
      onCancel={onCancel}
    >
      <Text size="sm">
        This deletes something, moves money, changes credentials or weakens the protection of a
        server.
      </Text>
      <CodeInput {...form.getInputProps('code')} />
    </ApiForm>
  );
};
