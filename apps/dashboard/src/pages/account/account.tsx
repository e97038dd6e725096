import { Anchor, Grid, Paper, Stack, Text, Title } from '@mantine/core';
import { PageHead } from '../../parts/page-head.tsx';
import { DeleteAccount } from './delete-account.tsx';
import { PlanSummary } from './plan-summary.tsx';
import { Profile } from './profile.tsx';
import { SecondFactor } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

export const Account = () => (
  <>
    <PageHead
      title="Account and security"
      description="Who you are here, and what keeps others from being you."
    />
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <Stack gap="lg">
          <SecondFactor />
          <Sessions />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }}>
        <Stack gap="lg">
          <Profile />
          <PlanSummary />
          <AsMember />
          <DeleteAccount />
        </Stack>
      </Grid.Col>
    </Grid>
  </>
);

const AsMember = () => (
  <Paper withBorder p="lg" component="section" aria-labelledby="as-member">
    <Stack gap="xs">
      <Title order={2} size="h4" id="as-member">
        You as a member
      </Title>
      <Text size="sm" c="dimmed">
        Servers that you verified on keep something about you, as they do about every member.
      </Text>
      <Anchor href="/me" size="sm">
        What Holdfast holds about you as a member
      </Anchor>
    </Stack>
  </Paper>
);
