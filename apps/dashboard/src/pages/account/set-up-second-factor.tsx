import {
  Button,
  Center,
  Checkbox,
  Code,
  Group,
  Modal,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { encode } from 'uqr';
import { api } from '../../api.ts';
import { CopyField, CopyTextButton } from '../../components/copy-field.tsx';
import { ApiForm, useApiForm } from '../../components/form.tsx';
import { Note } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.ts';
import { queryKeys } from '../../queries/query-keys.ts';

/** Shows a secret for the authenticator, checks a code made with it, then shows the recovery codes. */
export const SetUpSecondFactor = ({ isOn }: { isOn: boolean }) => {
  const [codes, setCodes] = useState<string[] | null>(null);
  const begin = useAction(() => api.beginSecondFactor());
  const close = () => {
    setCodes(null);
    begin.reset();
  };
  return (
    <>
      {!isOn && (
        <Button loading={begin.isPending} onClick={() => begin.mutate()}>
          Set it up
        </Button>
      )}
      <Modal
        opened={begin.data !== undefined}
        onClose={close}
        title={codes ? 'Keep your recovery codes' : 'Set up the second factor'}
        closeOnClickOutside={false}
        closeOnEscape={codes === null}
        withCloseButton={codes === null}
      >
        {codes ? (
          <RecoveryCodes codes={codes} onClose={close} />
        ) : (
          begin.data && <SecretForm {...begin.data} onFinished={setCodes} />
        )}
      </Modal>
    </>
  );
};

type SecretFormProps = {
  secret: string;
  uri: string;
  onFinished: (recoveryCodes: string[]) => void;
};

const SecretForm = ({ secret, uri, onFinished }: SecretFormProps) => {
  const form = useApiForm({ code: '' }, (body) => api.finishSecondFactor({ body }), {
    message: 'The second factor is on.',
    invalidates: [queryKeys.account],
    onSuccess: ({ recoveryCodes }) => onFinished(recoveryCodes),
  });
  return (
    <ApiForm form={form} label="Switch it on" isReady={/^\d{6}$/.test(form.values.code)}>
      <Text size="sm">
        Scan this with an authenticator app, then type the six digits that it shows.
      </Text>
      <Center>
        <QrCode text={uri} label="QR code for your authenticator app" />
      </Center>
      <CopyField label="Or type this into the app" value={secret} />
      <TextInput
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={6}
        data-autofocus
        {...form.getInputProps('code')}
      />
    </ApiForm>
  );
};

/** Dark on white in both colour schemes, because cameras need that. */
const QrCode = ({ text, label }: { text: string; label: string }) => {
  const { size, data } = encode(text, { border: 2 });
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      width={208}
      height={208}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={darkSquares(data)} fill="#000" />
    </svg>
  );
};

const darkSquares = (rows: boolean[][]): string =>
  rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');

type RecoveryCodesProps = { codes: string[]; onClose: () => void };

const RecoveryCodes = ({ codes, onClose }: RecoveryCodesProps) => {
  const [isSaved, setIsSaved] = useState(false);
  return (
    <Stack gap="md">
      <Note tone="warning" title="You will not see these again">
        Each of them replaces a code of your authenticator once. Keep them where you find them
        without your phone.
      </Note>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" component="ul" m={0} p={0}>
        {codes.map((code) => (
          <li key={code} style={{ listStyle: 'none' }}>
            <Code block ta="center">
              {code}
            </Code>
          </li>
        ))}
      </SimpleGrid>
      <SaveButtons codes={codes} />
      <Checkbox
        label="I have kept them"
        checked={isSaved}
        onChange={(event) => setIsSaved(event.currentTarget.checked)}
      />
      <Button disabled={!isSaved} onClick={onClose}>
        Done
      </Button>
    </Stack>
  );
};

const SaveButtons = ({ codes }: { codes: string[] }) => (
  <Group grow>
    <CopyTextButton value={codes.join('\n')} />
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      onClick={() => downloadCodes(codes)}
    >
      Download
    </Button>
  </Group>
);

const downloadCodes = (codes: string[]): void => {
  const text = ['Holdfast recovery codes: each can be used once.', '', ...codes, ''].join('\n');
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'holdfast-recovery-codes.txt';
  link.click();
  URL.revokeObjectURL(url);
};
