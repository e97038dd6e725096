import { Grid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useServer } from '../../parts/use-server.ts';
import { CheckOrder } from './check-order.tsx';
import { RuleForm } from './rule-form.tsx';
import type { RuleList } from './rule-lists.ts';
import { RuleTable } from './rule-table.tsx';

type RulesPageProps = {
  list: RuleList;
  title: string;
  description: string;
  /** What it means that there is no rule. */
  emptyWords: string;
  actions?: ReactNode;
  notice?: ReactNode;
  mayAdd: boolean;
};

export const RulesPage = (props: RulesPageProps) => {
  const { list, title, description, emptyWords, actions, notice, mayAdd } = props;
  const { id } = useServer();
  const rules = useQuery({
    queryKey: [list.name, id],
    queryFn: () => list.list(id),
    refetchInterval: 15_000,
  });
  return (
    <>
      <PageHead title={title} description={description} actions={actions} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, xl: 8 }}>
          <Stack gap="lg">
            {notice}
            <RuleForm list={list} mayAdd={mayAdd} />
            <Loaded query={rules} height={240}>
              {(found) => <RuleTable list={list} rules={found} emptyWords={emptyWords} />}
            </Loaded>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, xl: 4 }}>
          <CheckOrder here={list.name} />
        </Grid.Col>
      </Grid>
    </>
  );
};
