import { Grid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loaded } from '../../components/loaded.tsx';
import { PageHead } from '../../components/page.tsx';
import { type RuleList, rulesQuery } from '../../queries/rules.ts';
import { useServer } from '../../queries/servers.ts';
import { CheckOrder } from './check-order.tsx';
import { RuleForm } from './rule-form.tsx';
import { RuleTable } from './rule-table.tsx';

type RulesPageProps = {
  list: RuleList;
  title: string;
  description: string;
  /** What it means that there are no rules. */
  emptyMessage: string;
  actions?: ReactNode;
  notice?: ReactNode;
  mayAdd: boolean;
};

export const RulesPage = (props: RulesPageProps) => {
  const { list, title, description, emptyMessage, actions, notice, mayAdd } = props;
  const { id } = useServer();
  const rules = useQuery(rulesQuery(id, list));
  return (
    <>
      <PageHead title={title} description={description} actions={actions} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, xl: 8 }}>
          <Stack gap="lg">
            {notice}
            {/* On a phone the list first: the form would fill the first screen. */}
            <Grid gap="lg">
              <Grid.Col order={{ base: 2, sm: 1 }}>
                <RuleForm list={list} mayAdd={mayAdd} />
              </Grid.Col>
              <Grid.Col order={{ base: 1, sm: 2 }}>
                <Loaded query={rules} height={240}>
                  {(found) => <RuleTable list={list} rules={found} emptyMessage={emptyMessage} />}
                </Loaded>
              </Grid.Col>
            </Grid>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, xl: 4 }}>
          <CheckOrder current={list.name} />
        </Grid.Col>
      </Grid>
    </>
  );
};
