import { Button, Group, Stack, Tabs, Text } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';
import { CopyField } from '../../parts/copy-field.tsx';
import type { Server } from '../../parts/use-server.ts';
import { Card } from './card.tsx';
import { embedOf, invitationOf, verifyLinkOf } from './verify-link.ts';

/** The way in for newcomers, in the three forms in which it is passed on. */
export const VerifyCard = ({ server: { id, name } }: { server: Server }) => {
  const link = verifyLinkOf(id);
  return (
    <Card title="Verify link">
      <Stack gap="md">
        <Text c="dimmed">
          Put it where newcomers see it first. Whoever verifies through it gets in, and appears
          under Members.
        </Text>
        <Tabs defaultValue="link" keepMounted={false}>
          <Tabs.List mb="md">
            <Tabs.Tab value="link">Link</Tabs.Tab>
            <Tabs.Tab value="message">Message</Tabs.Tab>
            <Tabs.Tab value="embed">Button</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="link">
            <CopyField label="Link" value={link} />
          </Tabs.Panel>
          <Tabs.Panel value="message">
            <CopyField label="For a welcome channel" value={invitationOf(link, name)} />
          </Tabs.Panel>
          <Tabs.Panel value="embed">
            <CopyField label="HTML for your own site" value={embedOf(link, name)} />
          </Tabs.Panel>
        </Tabs>
        <Group>
          <Button
            component="a"
            href={link}
            target="_blank"
            rel="noopener"
            variant="default"
            size="xs"
            leftSection={<IconExternalLink size={14} aria-hidden />}
          >
            See it as a newcomer
          </Button>
        </Group>
      </Stack>
    </Card>
  );
};
