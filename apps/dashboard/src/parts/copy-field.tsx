import { Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

type CopyFieldProps = { label: string; value: string };

/** Something to take along: shown whole, copied with one press. */
export const CopyField = ({ label, value }: CopyFieldProps) => (
  <Stack gap={4}>
    <Text size="sm" fw={500}>
      {label}
    </Text>
    <Group gap="xs" wrap="nowrap" align="stretch">
      <Code block flex={1} miw={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {value}
      </Code>
      <CopyButton value={value} timeout={2000}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            h="auto"
            onClick={copy}
            leftSection={
              copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />
            }
          >
            {copied ? 'Copied' : 'Copy'}
          </Button>
        )}
      </CopyButton>
    </Group>
  </Stack>
);
