import { Button, Center, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api.ts';
import { CopyField } from '../../parts/copy-field.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { fieldError } from '../../parts/error-words.ts';
import { useAct } from '../../parts/use-act.ts';
import { QrCode } from './qr-code.tsx';

type ShowSecretProps = {
  secret: string;
  uri: string;
  onProved: (recoveryCodes: string[]) => void;
};

export const ShowSecret = ({ secret, uri, onProved }: ShowSecretProps) => {
  const [code, setCode] = useState('');
  const finish = useAct(() => api.finishSecondFactor({ body: { code } }), {
    done: 'The second factor is on.',
    touches: [['account']],
    isQuietOnError: true,
    onDone: ({ recoveryCodes }) => onProved(recoveryCodes),
  });
  const codeError = fieldError(finish.error, 'code');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        finish.mutate();
      }}
    >
      <Stack gap="md">
        <Text size="sm">
          Scan this with an authenticator app, then type the six digits that it shows.
        </Text>
        <Center>
          <QrCode text={uri} label="QR code for your authenticator app" />
        </Center>
        <CopyField label="Or type this into the app" value={secret} />
        <TextInput
          label="Code"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          error={codeError}
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={6}
          data-autofocus
        />
        {finish.error && !codeError && <ErrorNote error={finish.error} />}
        <Group justify="flex-end">
          <Button type="submit" loading={finish.isPending} disabled={!/^\d{6}$/.test(code)}>
            Switch it on
          </Button>
        </Group>
      </Stack>
    </form>
  );
};
