import { Badge, Grid, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Name } from '../../../components/display.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { Section } from '../../../components/page.tsx';
import { formatCount } from '../../../labels/format.ts';
import { templateContentsQuery } from '../../../queries/marketplace.ts';
import type { TemplateContents as Contents } from '../../../queries/records.ts';
import { ChannelTree } from '../../backups/contents/channel-tree.tsx';
import { type Branch, countChannels } from '../../backups/contents/find-in-contents.ts';

/** A template of more than so many channels begins with its categories closed. */
const openedAtFirst = 30;

/** The names in a template, before it is bought. */
export const TemplateContents = ({ listingId }: { listingId: string }) => (
  <Section
    title="What is in it"
    note="The names of its channels and roles. Permissions, settings and emojis come with it; member data never does."
  >
    <Loaded query={useQuery(templateContentsQuery(listingId))} height={240}>
      {(contents) => <Structure contents={contents} />}
    </Loaded>
  </Section>
);

const Structure = ({ contents: { roles, channels } }: { contents: Contents }) => {
  const branches = branchesOf(channels);
  const total = countChannels(branches);
  return (
    <Grid gap="xl">
      <Column title="Channels" count={total} span={7}>
        <ChannelTree branches={branches} nameRole={() => ''} isOpen={total <= openedAtFirst} />
      </Column>
      <Column title="Roles" count={roles.length} span={5}>
        <Group component="ul" gap="xs" m={0} p={0} style={{ listStyle: 'none' }} aria-label="Roles">
          {roles.map(({ name }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: names repeat, and the list never changes
            <li key={at} style={{ minWidth: 0 }}>
              <Badge size="lg" variant="default" fw={500}>
                <Name>{name}</Name>
              </Badge>
            </li>
          ))}
        </Group>
      </Column>
    </Grid>
  );
};

type ColumnProps = { title: string; count: number; span: number; children: ReactNode };

const Column = ({ title, count, span, children }: ColumnProps) => (
  <Grid.Col span={{ base: 12, md: span }}>
    <Stack gap="xs">
      <Group gap="xs" align="baseline">
        <Title order={3} size="h5">
          {title}
        </Title>
        <Text size="sm" c="dimmed" className="holdfast-number">
          {formatCount(count)}
        </Text>
      </Group>
      {children}
    </Stack>
  </Grid.Col>
);

/** What the tree shows of a channel of a backup, and a template does not tell before it is bought. */
const untold = {
  ...{ topic: null, isPrivate: false, isAgeRestricted: false, slowModeSeconds: 0 },
  ...{ bitrate: null, userLimit: null, tags: [], overwrites: [] },
  overwriteCounts: { roles: 0, members: 0 },
};

const branchesOf = (channels: Contents['channels']): Branch[] =>
  channels.map(({ children, ...channel }, at) => ({
    ...untold,
    ...channel,
    platformId: `${at}`,
    children: children.map((child, below) => ({
      ...untold,
      ...child,
      platformId: `${at}.${below}`,
    })),
  }));
