import { Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

type CopyFieldProps = { label: string; value: string };

/** A text to take along, shown whole and copied with one press. */
export const CopyField = ({ label, value }: CopyFieldProps) => (
  <Stack gap={4}>
    <Text size="sm" fw={500}>
      {label}
    </Text>
    <Group gap="xs" align="flex-start">
      <Code
        block
        flex="1 1 16rem"
        miw={0}
        style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {value}
      </Code>
      <CopyTextButton value={value} />
    </Group>
  </Stack>
);

type CopyTextButtonProps = { value: string; label?: string };

export const CopyTextButton = ({ value, label = 'Copy' }: CopyTextButtonProps) => (
  <CopyButton value={value} timeout={2000}>
    {({ copied, copy }) => {
      const Glyph = copied ? IconCheck : IconCopy;
      return (
        <Button variant="default" onClick={copy} leftSection={<Glyph size={16} aria-hidden />}>
          {copied ? 'Copied' : label}
        </Button>
      );
    }}
  </CopyButton>
);
