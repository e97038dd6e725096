import type { accountLimits } from '@holdfast/contract';
import {
  Badge,
  Box,
  Button,
  Group,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  Title,
  useComputedColorScheme,
} from '@mantine/core';
import { IconMessagePlus, IconPlus, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { api } from '../../api.ts';
import { Moment, Name } from '../../components/display.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { OpenVerifyPage } from '../../components/open-verify-page.tsx';
import { Empty, Note, PageHead, TextLink } from '../../components/page.tsx';
import { useAction } from '../../components/use-action.ts';
import { endSentence } from '../../labels/format.ts';
import { panelProblem, panelStatus } from '../../labels/panels.ts';
import { type Panel, panelsQuery } from '../../queries/panels.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import { useServer } from '../../queries/servers.ts';
import { DeletePanel } from './delete-panel.tsx';
import { PanelMessage } from './panel-preview.tsx';
import { useChannelName } from './use-channels.ts';

export const Panels = () => {
  const { id, verifiedRoleId } = useServer();
  const panels = useQuery(panelsQuery(id));
  const isFull = (panels.data?.length ?? 0) >= mostPanels;
  const newPanel = (
    <Button
      component={Link}
      to={`/servers/${id}/panels/new`}
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      New panel
    </Button>
  );
  return (
    <>
      <PageHead
        title="Panels"
        description="Messages of your bot with a button. Newcomers press it to verify."
        actions={
          <>
            {!isFull && newPanel}
            <OpenVerifyPage serverId={id} />
          </>
        }
      />
      {verifiedRoleId === null && <NoRole serverId={id} />}
      <Loaded query={panels} height={320}>
        {(found) =>
          found.length === 0 ? (
            <Empty icon={IconMessagePlus} title="No panel yet" action={newPanel}>
              Post one to the channel that newcomers see first. It stays there, and comes back after
              a restore or a move.
            </Empty>
          ) : (
            <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
              {found.map((panel) => (
                <PanelCard key={panel.id} panel={panel} />
              ))}
            </SimpleGrid>
          )
        }
      </Loaded>
    </>
  );
};

const NoRole = ({ serverId }: { serverId: string }) => (
  <Box mb="lg">
    <Note tone="warning" title="Members who verify get no role">
      No role for verified members is chosen.{' '}
      <TextLink to={`/servers/${serverId}/settings#role`} c="inherit">
        Choose one in the settings
      </TextLink>
    </Note>
  </Box>
);

/** The service refuses more. */
const mostPanels: (typeof accountLimits)['panels'] = 10;

const PanelCard = ({ panel }: { panel: Panel }) => {
  const channelName = useChannelName(panel.channelId);
  const scheme = useComputedColorScheme('light');
  const { label, color } = panelStatus(panel);
  const titleId = `panel-${panel.id}`;
  return (
    <Paper withBorder p="lg" component="article" aria-labelledby={titleId}>
      <Stack gap="md" h="100%">
        <Group justify="space-between" gap="xs">
          <Title order={2} size="h5" id={titleId}>
            <Name>{channelName}</Name>
          </Title>
          <Badge color={color}>{label}</Badge>
        </Group>
        <Problem panel={panel} />
        <Box flex={1}>
          <PanelMessage panel={panel} scheme={scheme} />
        </Box>
        <Group justify="space-between" gap="sm">
          <Text size="sm" c="dimmed">
            Changed <Moment at={panel.updatedAt} />
          </Text>
          <Actions panel={panel} />
        </Group>
      </Stack>
    </Paper>
  );
};

const Problem = ({ panel }: { panel: Panel }) => {
  const problem = panelProblem(panel);
  if (problem === undefined) return null;
  return (
    <Note tone={panel.status === 'FAILED' ? 'danger' : 'warning'}>{endSentence(problem)}</Note>
  );
};

const Actions = ({ panel }: { panel: Panel }) => {
  const params = { id: panel.serverId, panelId: panel.id };
  const invalidates = [queryKeys.panels(panel.serverId)];
  const { title } = panel;
  // A change without a difference makes the bot look for its message, and post it where it is gone.
  const postAgain = useAction(() => api.updatePanel({ params, body: { title } }), {
    message: 'The bot is posting it.',
    invalidates,
  });
  const described = `panel-${panel.id}`;
  return (
    <Group gap="xs">
      {panel.status !== 'POSTED' && (
        <Button
          size="xs"
          loading={postAgain.isPending}
          onClick={() => postAgain.mutate()}
          leftSection={<IconRefresh size={14} aria-hidden />}
          aria-describedby={described}
        >
          Post again
        </Button>
      )}
      <Button
        component={Link}
        to={`/servers/${panel.serverId}/panels/${panel.id}`}
        variant="default"
        size="xs"
        aria-describedby={described}
      >
        Edit
      </Button>
      <DeletePanel panel={panel} label="Delete" size="xs" variant="subtle" />
    </Group>
  );
};
