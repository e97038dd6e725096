import { Group, Text } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';

/** Why it is safe to buy, in a sentence. */
export const HeldMoney = ({ children }: { children: string }) => (
  <Group gap="xs" wrap="nowrap" align="flex-start">
    <IconShieldCheck
      size={18}
      aria-hidden
      color="var(--accent)"
      style={{ flex: 'none', marginTop: 2 }}
    />
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  </Group>
);
