import { Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { verifyLink } from '../labels/verify-link.ts';

/** The page as newcomers see it, in a window of its own. */
export const OpenVerifyPage = ({ serverId }: { serverId: string }) => (
  <Button
    component="a"
    href={verifyLink(serverId)}
    target="_blank"
    rel="noopener"
    variant="default"
    leftSection={<IconExternalLink size={16} aria-hidden />}
  >
    Open the verify page
  </Button>
);
