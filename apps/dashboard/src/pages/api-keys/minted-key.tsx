import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { CopyField } from '../../parts/copy-field.tsx';
import { Name } from '../../parts/name.tsx';
import { curlExample } from './curl-example.ts';
import type { Minted } from './mint-key.tsx';

type MintedKeyProps = {
  minted: Minted;
  /** Asked to close: whether the key was copied comes first. */
  isLeaving: boolean;
  onLeave: () => void;
  onStay: () => void;
  onClose: () => void;
};

export const MintedKey = (props: MintedKeyProps) => {
  const { minted, isLeaving, onLeave, onStay, onClose } = props;
  return (
    <Stack gap="md">
      <Text size="sm">
        This is the key <Name>{minted.name}</Name>. Put it where the program that uses it keeps its
        secrets.
      </Text>
      <CopyField label="Key" value={minted.key} />
      <Alert
        color="yellow"
        icon={<IconAlertTriangle aria-hidden />}
        title="You will not see it again"
      >
        Only its fingerprint is kept here. Whoever has the key can do what its scopes allow; if it
        gets lost or leaks, revoke it and mint another.
      </Alert>
      <CopyField label="Try it" value={curlExample(location.origin, minted.key, minted.scopes)} />
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
};
