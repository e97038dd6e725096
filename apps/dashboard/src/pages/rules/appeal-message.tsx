import { Text } from '@mantine/core';
import { Name } from '../../parts/name.tsx';

/** What somebody wrote, as they broke its lines and as nothing but text. */
export const AppealMessage = ({ children }: { children: string }) => (
  <Text
    component="blockquote"
    size="sm"
    m={0}
    pl="md"
    style={{
      whiteSpace: 'pre-wrap',
      borderInlineStart: '3px solid var(--mantine-color-default-border)',
    }}
  >
    <Name>{children}</Name>
  </Text>
);
