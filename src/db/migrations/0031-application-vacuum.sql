-- expand, oldest release 1.0.0
--
-- A change of status leaves a row of 4 KB behind. A tenth of PostgreSQL's usual share of such rows is let stand before they are used again.
alter table application set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_limit = 2000);
