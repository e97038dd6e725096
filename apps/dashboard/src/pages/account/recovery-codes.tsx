import { Alert, Button, Checkbox, Code, CopyButton, Group, SimpleGrid, Stack } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconCopy, IconDownload } from '@tabler/icons-react';
import { useState } from 'react';

type RecoveryCodesProps = { codes: string[]; onClose: () => void };

export const RecoveryCodes = ({ codes, onClose }: RecoveryCodesProps) => {
  const [isKept, setIsKept] = useState(false);
  return (
    <Stack gap="md">
      <Alert
        color="yellow"
        icon={<IconAlertTriangle aria-hidden />}
        title="You will not see these again"
      >
        Without your authenticator each of them lets you in once. Keep them where you would find
        them if your phone was gone.
      </Alert>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" component="ul" m={0} p={0}>
        {codes.map((code) => (
          <li key={code} style={{ listStyle: 'none' }}>
            <Code block ta="center">
              {code}
            </Code>
          </li>
        ))}
      </SimpleGrid>
      <TakeAlong codes={codes} />
      <Checkbox
        label="I have kept them"
        checked={isKept}
        onChange={(event) => setIsKept(event.currentTarget.checked)}
      />
      <Button disabled={!isKept} onClick={onClose}>
        Done
      </Button>
    </Stack>
  );
};

const TakeAlong = ({ codes }: { codes: string[] }) => (
  <Group grow>
    <CopyButton value={codes.join('\n')} timeout={2000}>
      {({ copied, copy }) => {
        const Sign = copied ? IconCheck : IconCopy;
        return (
          <Button variant="default" onClick={copy} leftSection={<Sign size={16} aria-hidden />}>
            {copied ? 'Copied' : 'Copy'}
          </Button>
        );
      }}
    </CopyButton>
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
  const text = ['Holdfast recovery codes: each lets you in once.', '', ...codes, ''].join('\n');
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = 'holdfast-recovery-codes.txt';
  link.click();
  URL.revokeObjectURL(url);
};
