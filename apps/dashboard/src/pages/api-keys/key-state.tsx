import { Badge, Text } from '@mantine/core';
import { Moment } from '../../parts/moment.tsx';
import type { Key } from './key-table.tsx';

type State = 'revoked' | 'expired' | 'active';

export const stateOf = (
  { revokedAt, expiresAt }: Pick<Key, 'revokedAt' | 'expiresAt'>,
  now = Date.now(),
): State => {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= now ? 'expired' : 'active';
};

const colors: Record<State, string> = { revoked: 'red', expired: 'gray', active: 'green' };

/** Whether the key still opens anything, and until when. */
export const KeyState = ({ apiKey }: { apiKey: Key }) => {
  const state = stateOf(apiKey);
  return (
    <div>
      <Badge variant="light" color={colors[state]} tt="none">
        {state}
      </Badge>
      <Text size="xs" c="dimmed">
        {state === 'revoked' ? (
          <Moment at={apiKey.revokedAt} />
        ) : apiKey.expiresAt === null ? (
          'Never expires'
        ) : (
          <>
            {state === 'expired' ? 'Expired' : 'Expires'} <Moment at={apiKey.expiresAt} />
          </>
        )}
      </Text>
    </div>
  );
};
