import { Alert, Anchor } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { Server } from '../../parts/use-server.ts';

/** What a server still lacks to be of use to its newcomers. */
export const NextStep = ({ server: { id, verifiedRoleId } }: { server: Server }) =>
  verifiedRoleId === null && (
    <Alert
      variant="light"
      color="yellow"
      title="Whoever verifies gets no role yet"
      icon={<IconInfoCircle aria-hidden />}
    >
      Members are recorded, but nothing opens for them on the platform.{' '}
      <Anchor
        component={Link}
        to={`/servers/${id}/settings`}
        inherit
        c="inherit"
        underline="always"
      >
        Choose the role in the settings
      </Anchor>
    </Alert>
  );
